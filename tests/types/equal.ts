/**
 * Equality of types: a test that compiles is a test that passes.
 */

/** Whether two types are the same, `any` and `unknown` told apart. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles for `true` alone. */
export type Expect<T extends true> = T;
