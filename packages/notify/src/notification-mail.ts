import type { DeliveryPayload } from '@sheaf/db';
import type { Mail } from './mailer.ts';

export interface MailFacts {
  /** Where people reach the service, without a slash at its end. */
  readonly publicUrl: string;
  readonly deliveryId: string;
  readonly to: string;
}

const MAX_SUBJECT_CHARACTERS = 150;

/** Marks that turn the direction of the text around them, so that it reads as something else. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Titles carry the names of files, which may hold anything. */
const toOneLine = (text: string): string =>
  text
    .replaceAll(TURNING, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();

const toLines = (text: string): string[] => text.split(/\r\n|[\r\n\u2028\u2029]/).map(toOneLine);

const cut = (text: string, characters: number): string => {
  const all = Array.from(text);
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join('')}…`;
};

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Choice: there is no page about a document, so the link leads to the document itself, for a browser that is signed in. */
const linkTo = ({ data }: DeliveryPayload, publicUrl: string): string | undefined => {
  const id = data['document_id'];
  return typeof id === 'string' ? `${publicUrl}/api/documents/${encodeURIComponent(id)}/download?inline=true` : undefined;
};

const toHtml = (title: string, lines: readonly string[], link: string | undefined, publicUrl: string): string =>
  [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"></head><body>',
    `<h1 style="font-size: 1.2em">${escapeHtml(title)}</h1>`,
    `<p>${lines.map(escapeHtml).join('<br>\n')}</p>`,
    ...(link === undefined ? [] : [`<p><a href="${escapeHtml(link)}">Open the document</a></p>`]),
    `<p style="color: #666666">Sent by Sheaf, <a href="${escapeHtml(publicUrl)}">${escapeHtml(publicUrl)}</a></p>`,
    '</body></html>',
    '',
  ].join('\n');

/** A notification as a mail, in text and HTML. Nothing in it can become a header, a tag or another address. */
export const toNotificationMail = (payload: DeliveryPayload, { publicUrl, deliveryId, to }: MailFacts): Mail => {
  const title = toOneLine(payload.data.title);
  const lines = toLines(payload.data.message);
  const link = linkTo(payload, publicUrl);
  return {
    to,
    subject: cut(title, MAX_SUBJECT_CHARACTERS),
    text: [...lines, '', ...(link === undefined ? [] : [link, '']), '-- ', `Sent by Sheaf, ${publicUrl}`, ''].join('\n'),
    html: toHtml(title, lines, link, publicUrl),
    id: deliveryId,
  };
};
