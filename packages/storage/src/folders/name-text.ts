import { isUtf8 } from 'node:buffer';

/** A name as text: bytes that are no UTF-8 stand as \xNN, and a backslash that could be taken for one as \x5c. No two names become one. */
export const nameToText = (name: Buffer): string => {
  const isText = isUtf8(name);
  const text = (isText ? name.toString('utf8') : name.toString('latin1')).replaceAll(FALSE_ESCAPE, '\\x5c');
  return isText ? text : text.replaceAll(/[\u0080-\u00ff]/g, escapeByte);
};

const FALSE_ESCAPE = /\\(?=x(?:5c|[89a-f][0-9a-f]))/g;

const escapeByte = (character: string): string => `\\x${character.charCodeAt(0).toString(16)}`;
