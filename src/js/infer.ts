/**
 * Types of values from their schemas: what `execute` gets and what `compile` checks.
 * Understands the keywords tools really use; whatever else a schema says makes its part `unknown`,
 * never wrong.
 */
import type { StandardSchema } from "./standard-schema.js";

/** A JSON Schema of any draft: an object, or `true` and `false`. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** What a tool may be given as a schema. */
export type AnySchema = JsonSchema | StandardSchema<unknown, unknown>;

/** The type of the values a schema lets pass. */
export type FromSchema<S> = S extends StandardSchema<unknown, infer Output>
  ? Output
  : S extends true
    ? unknown
    : S extends false
      ? never
      : S extends { readonly const: infer Constant }
        ? Mutable<Constant>
        : S extends { readonly enum: readonly (infer Member)[] }
          ? Mutable<Member>
          : S extends { readonly anyOf: infer Options extends readonly unknown[] }
            ? FromSchema<Options[number]>
            : S extends { readonly oneOf: infer Options extends readonly unknown[] }
              ? FromSchema<Options[number]>
              : S extends { readonly type: infer Type }
                ? FromType<Type, S>
                : S extends { readonly properties: unknown }
                  ? FromObject<S>
                  : unknown;

type FromType<Type, S> = Type extends readonly (infer Each)[] ? FromName<Each, S> : FromName<Type, S>;

// Distributes over a union of names, so that `type: ["string", "null"]` is `string | null`.
type FromName<Name, S> = Name extends "string"
  ? string
  : Name extends "number" | "integer"
    ? number
    : Name extends "boolean"
      ? boolean
      : Name extends "null"
        ? null
        : Name extends "array"
          ? FromArray<S>
          : Name extends "object"
            ? FromObject<S>
            : unknown;

type FromArray<S> = S extends { readonly items: infer Items }
  ? Items extends readonly unknown[]
    ? unknown[]
    : FromSchema<Items>[]
  : unknown[];

type FromObject<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Key in keyof Properties as Key extends RequiredOf<S> ? Key : never]: FromSchema<Properties[Key]> } & {
        -readonly [Key in keyof Properties as Key extends RequiredOf<S> ? never : Key]?: FromSchema<Properties[Key]>;
      } & Rest<S>
    >
  : S extends { readonly additionalProperties: infer Extra }
    ? Extra extends boolean
      ? Record<string, unknown>
      : Record<string, FromSchema<Extra>>
    : Record<string, unknown>;

// Required names that `properties` does not describe are there, with any value.
type Rest<S> = S extends { readonly properties: infer Properties }
  ? { [Key in Exclude<RequiredOf<S>, keyof Properties>]: unknown }
  : unknown;

type RequiredOf<S> = S extends { readonly required: readonly (infer Key extends string)[] } ? Key : never;

type Flat<T> = { [Key in keyof T]: T[Key] };

type Mutable<T> = T extends readonly unknown[]
  ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;

/** The type of `ctx.artifacts`: anything at all without a schema. */
export type ArtifactsOf<S> = InputOf<S>;

/** The type of a result. A Standard Schema checks it and does not change it, so it is what the schema takes. */
export type OutputOf<S> = S extends StandardSchema<infer Input, unknown> ? Input : FromSchema<S>;

/** What a handler gets: any arguments at all without a schema. */
export type InputOf<S> = [undefined] extends [S] ? Record<string, unknown> : FromSchema<S>;
