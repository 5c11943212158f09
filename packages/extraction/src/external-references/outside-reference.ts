/** Office programs drop blanks and control characters around a reference; they must not hide what it is. */
const BLANKS = /[\p{Cc}\p{White_Space}]+/gu;
const IN_PACKAGE = 'vnd.sun.star.package:';

/**
 * Whether a reference (an IRI or a path) leads out of the document: it has a scheme, an absolute path or a `..`. Fragments
 * (`#name`) and `data:` stay inside.
 */
export const isOutside = (reference: string): boolean => {
  const plain = decodeDots(reference.replaceAll(BLANKS, '')).toLowerCase();
  const path = plain.startsWith(IN_PACKAGE) ? plain.slice(IN_PACKAGE.length) : plain;
  if (path === '' || path.startsWith('#') || path.startsWith('data:')) return false;
  return path.startsWith('/') || hasScheme(path) || path.split('/').includes('..');
};

/** Whether a path inside of a package, seen from the folder of `part`, leads out of the package. */
export const leavesPackage = (part: string, target: string): boolean => {
  const path = decodeDots(target.replaceAll(BLANKS, ''));
  if (path.startsWith('//') || hasScheme(path)) return true;
  let depth = path.startsWith('/') ? 0 : part.split('/').length - 1;
  for (const segment of path.split('/')) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
};

/** Whether a reference that only a reader follows leads to a web page or a mailbox, or stays in the document. */
export const isReaderLink = (reference: string): boolean => {
  const plain = reference.replaceAll(BLANKS, '').toLowerCase();
  return /^(?:https?|mailto):/.test(plain) || !isOutside(reference);
};

const decodeDots = (path: string): string => path.replaceAll(/%2e/gi, '.').replaceAll(/%2f|%5c|\\/gi, '/');

const hasScheme = (path: string): boolean => {
  const end = path.search(/[/?#]/);
  return (end < 0 ? path : path.slice(0, end)).includes(':');
};
