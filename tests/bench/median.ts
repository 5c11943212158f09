/** The middle of the values, or undefined when there are none. */
export const median = (values: readonly number[]): number | undefined => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
