/** Text as people and machines send it, made safe to give to PostgreSQL, which knows no NUL and no half of a character. */
export const cleanText = (text: string): string => text.replaceAll('\0', ' ').toWellFormed();
