/**
 * What ArkType's types name of Node: these tests do without Node's own types, as a page does.
 */
declare module "buffer" {
  export const File: unknown;
}
