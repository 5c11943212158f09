/** Field names whose values never reach a log line, one or two levels deep, whatever their type. */
const SECRET_FIELDS = ['password', 'token', 'secret', 'authorization', 'cookie', 'key'];

/** For pino, which takes them out before a line is made. */
export const REDACTED_PATHS = SECRET_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

export const MASK = '***';

/** What the name of a field, a parameter or a header holds whose value is a secret. */
const WORDS = [
  'passw(?:or)?d',
  'passphrase',
  'secret',
  'token',
  'authorization',
  'cookie',
  'credential',
  '(?:api|access|account|private)[_-]?key',
  'connection[_-]?string',
].join('|');
const NAME = `[\\w.-]{0,40}(?:${WORDS})[\\w-]{0,40}`;
const JSON_TEXT = '"(?:[^"\\\\]|\\\\.)*"';

/**
 * What secrets look like in a line of JSON, wherever they stand. Lines may be long and hold what strangers wrote: every
 * repetition is bounded, or can be taken in one way only.
 */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // a field at any depth: a text, or a list of texts such as that of Set-Cookie
  [new RegExp(`"(${NAME}|key)":(?:${JSON_TEXT}|\\[(?:${JSON_TEXT},?)*\\])`, 'gi'), `"$1":"${MASK}"`],
  // the same in JSON, and in an object as Node prints it, that stands in a text
  [new RegExp(`(\\\\"(?:${NAME})\\\\": ?)\\\\"[^"\\\\]*\\\\"`, 'gi'), `$1\\"${MASK}\\"`],
  [new RegExp(`(?<![\\w.-])(${NAME}'?: )'[^'\\\\]*'`, 'gi'), `$1'${MASK}'`],
  // a header in a text
  [/\b((?:Set-Cookie|Cookie|Authorization|Proxy-Authorization|X-API-Key): )[^"\\]+/gi, `$1${MASK}`],
  // user and password in an address, such as that of a database
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"\\]{1,500}@/gi, `$1${MASK}@`],
  // password=... anywhere; what is secret only in an address, such as the code of a sign-in or a signature, only there
  [new RegExp(`(?<![\\w.-])((?:${NAME})=)[^&\\s"'\\\\,;)]+`, 'gi'), `$1${MASK}`],
  [/([?&](?:key|code|state|sig|auth|[\w-]{0,40}signature)=)[^&\s"'\\]+/gi, `$1${MASK}`],
  // credentials as headers have them; a word of plain English is none
  [/\b(Bearer|Basic|Negotiate) (?![a-z]+\b)[\w.~+/=-]{6,}/g, `$1 ${MASK}`],
  [/\b(SharedKey [\w-]{1,60}:)[\w+/=]+/g, `$1${MASK}`],
  // by their form: tokens, API keys, keys of Amazon
  [/\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, MASK],
  [/\bshf_[\w-]{20,}/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MASK],
];

/** The line without what looks like a secret: for texts of errors and for addresses, of which no field name tells. */
export const redactLine = (line: string): string =>
  PATTERNS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
