const HERE = 'http://here.invalid';
const MAX_LENGTH = 2_000;

/**
 * Where to go after a sign-in: a path of this service, or `/` for anything else. Browsers drop tabs and line breaks of an address
 * and read a backslash as a slash, so that `/\t/evil.example` would lead away.
 */
export const toReturnPath = (wanted: string | undefined): string => {
  if (wanted === undefined || wanted.length > MAX_LENGTH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted) || wanted.includes('\\')) return '/';
  return URL.canParse(wanted, HERE) && new URL(wanted, HERE).origin === HERE ? wanted : '/';
};
