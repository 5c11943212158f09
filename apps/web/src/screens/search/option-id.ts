/** The id of a suggestion in the list, which the field names while the arrows are at it. */
export const optionIdOf = (listId: string, index: number): string => `${listId}-${index}`;
