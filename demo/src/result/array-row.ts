/** With `rowMode: 'array'` a row is an array in the order of the fields. */
export type ArrayRow = readonly unknown[];
