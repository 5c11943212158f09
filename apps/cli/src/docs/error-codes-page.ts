import en from '@sheaf/messages/locales/en.json' with { type: 'json' };
import { ERROR_CODES, ERROR_REASONS, ERROR_STATUS } from '@sheaf/vocabulary/error-codes';
import { table } from './markdown.ts';
import type { Endpoint } from './openapi.ts';

/** The English message of a code; of one that depends on a detail, the general branch. */
const messageOf = (code: string): string => {
  const message = (en as Readonly<Record<string, string>>)[`errors.${code}`] ?? '-';
  return message.replace(/\{\w+, (?:select|plural),.* other \{(?<general>.*)\}\}$/, '$<general>');
};

/** An error that nearly every endpoint can answer with names none of them. */
const MOST_ENDPOINTS = 8;

const whereOf = (code: string, endpoints: readonly Endpoint[]): string => {
  const places = endpoints.filter(({ errors }) => errors.has(code));
  if (places.length === 0) return '-';
  if (places.length > MOST_ENDPOINTS) return `${places.length} endpoints`;
  return places.map(({ method, path }) => `\`${method} ${path}\``).join('<br>');
};

/** All error codes with their status and the endpoints that answer with them, as Markdown. */
export const errorCodesPage = (endpoints: readonly Endpoint[]): string => {
  const statusByCode = new Map([...Object.entries(ERROR_STATUS), ...endpoints.flatMap(({ errors }) => [...errors])]);
  const kinds = Object.entries(ERROR_STATUS).map(([code, status]) => [`\`${code}\``, String(status), messageOf(code)]);
  const codes = ERROR_CODES.map((code) => [
    `\`${code}\``,
    String(statusByCode.get(code) ?? '-'),
    messageOf(code),
    whereOf(code, endpoints),
  ]);
  return `# Error codes

Every error has the same JSON body. \`error.code\` is stable and meant for programs; \`error.message\` is meant for people and may change.

\`\`\`json
{
  "error": {
    "code": "DOCUMENT_NOT_FOUND",
    "message": "...",
    "details": { "document_id": "..." },
    "timestamp": "2026-11-22T10:00:00.000Z",
    "request_id": "..."
  }
}
\`\`\`

Use \`request_id\` to find the request in the log. A validation error lists its fields in \`details.issues\`, each with \`path\`, \`code\`,
\`message\` and \`details\`.

## General codes

Each error is of one of these kinds, which sets the HTTP status. The kind is the code where no narrower code exists.

${table(['Code', 'Status', 'Message'], kinds)}

## Specific codes

${table(['Code', 'Status', 'Message', 'Endpoints'], codes)}

Commands, event connections, and the redirect at the end of a sign-in report the codes without an endpoint.

## Reasons

\`details.reason\` says why a request was refused where the code alone does not:

${table(
  ['Reason', 'Message'],
  ERROR_REASONS.map((reason) => [`\`${reason}\``, messageOf(reason)]),
)}
`;
};
