import { createHash } from 'node:crypto';
import { escapeHtml } from '@sheaf/contract';
import type { Translator } from '@sheaf/messages';
import type { Response } from 'express';

const STYLE = `
:root { color-scheme: light dark; --page: #f6f7f5; --card: #fff; --line: #d9dedb; --text: #1c2126; --soft: #55606a; --main: #0b7269; --on: #fff;
  --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --page: #17191a; --card: #202324; --line: #3a4042; --text: #e6e9ec; --soft: #a5afb8;
  --main: #4dbfa9; --on: #10201d; --wrong: #ff9a91; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; } .soft { color: var(--soft); }
.wrong { color: var(--wrong); font-weight: 600; }
a { color: var(--main); } a, h1, pre { unicode-bidi: plaintext; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.button, button { display: inline-block; background: var(--main); color: var(--on); border: 0; border-radius: .5rem; padding: .65rem 1.1rem;
  font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; min-height: 2.75rem; }
form { display: grid; gap: .75rem; max-width: 22rem; } label { font-weight: 600; }
input { font: inherit; padding: .6rem .75rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--card); color: var(--text); width: 100%; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 0 0 1rem; }
ol.pages, ul.results { list-style: none; margin: 1rem 0; padding: 0; }
img { display: block; max-width: 100%; height: auto; margin: 0 auto; background: #fff; color: #1c2126; min-height: 4rem; }
summary { cursor: pointer; padding: .5rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 0; }
ul.results li { border-bottom: 1px solid var(--line); padding: .6rem 0; overflow-wrap: anywhere; }
nav { display: flex; gap: 1.5rem; flex-wrap: wrap; }
`;

/** The style above, pictures and forms of our own: no script, no other host, no frame around it. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export const NEVER_KEPT = 'private, no-store';

/** What every answer below /s says: nobody indexes, keeps or passes on the address of a link. */
export const setShareHeaders = (response: Response): void => {
  response.setHeader('Cache-Control', NEVER_KEPT);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Robots-Tag', 'noindex, nofollow');
  response.setHeader('X-Content-Type-Options', 'nosniff');
};

export interface SharePage {
  readonly title: string;
  /** HTML below the heading. */
  readonly body: string;
}

/** Answers with a page in the language of the translator. */
export const sendSharePage = (
  response: Response,
  status: number,
  { locale }: Pick<Translator, 'locale'>,
  { title, body }: SharePage,
): void => {
  response.setHeader('Content-Security-Policy', POLICY);
  response.vary('Accept-Language');
  response
    .status(status)
    .type('text/html')
    .send(`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`);
};
