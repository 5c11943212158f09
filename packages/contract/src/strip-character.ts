/**
 * `text` without the `character`s at its end. An expression such as `/x+$/` tries each of them anew where something follows,
 * which takes time in proportion to the square of their number.
 */
export const stripEnd = (text: string, character: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
};

/** `text` without the `character`s at its beginning and its end. */
export const stripBoth = (text: string, character: string): string => {
  let start = 0;
  while (start < text.length && text[start] === character) start += 1;
  return stripEnd(text.slice(start), character);
};
