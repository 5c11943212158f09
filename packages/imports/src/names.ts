import { storableText } from '@sheaf/contract';

/** A name as tables have it: without spaces at its ends, and of no more characters than it may have. Undefined for one that is empty. */
export const toName = (given: string, maxCharacters: number): string | undefined => {
  const name = Array.from(
    storableText(given)
      .normalize('NFC')
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim(),
  )
    .slice(0, maxCharacters)
    .join('')
    .trim();
  return name === '' ? undefined : name;
};
