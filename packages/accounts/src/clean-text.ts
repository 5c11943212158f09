const MAX_LENGTH = 255;

/** A text of a directory or an identity provider as one that can be stored and shown; undefined for anything else. */
export const toCleanText = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.length > MAX_LENGTH || /\p{Cc}/u.test(text) ? undefined : text;
};
