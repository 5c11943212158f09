/** The text of a query as PostgreSQL accepts it. Not `storableText`: a NUL separates words here, as it does in the index. */
export const cleanText = (text: string): string => text.replaceAll('\0', ' ').toWellFormed();
