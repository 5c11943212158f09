/** What PostgreSQL and JSON accept: no NUL, and every half of a surrogate pair with its other half. */
export const cleanText = (text: string): string => {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', '') : text;
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.toWellFormed();
};
