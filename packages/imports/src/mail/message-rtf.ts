import type { Message } from './message.ts';

/** A message is printed so far; what is longer is a log or a newsletter, and its text is imported whole. */
const MAX_PRINTED_CHARACTERS = 500_000;

/** Text as RTF has it: nothing but ASCII, and nothing that RTF reads as a command. */
const escaped = (text: string): string => {
  let rtf = '';
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) rtf += '\\line\n';
    else if (code === 9) rtf += '\\tab ';
    else if (code < 32) continue;
    else if (code === 92 || code === 123 || code === 125) rtf += `\\${text.charAt(at)}`;
    else rtf += code < 127 ? text.charAt(at) : `\\u${code > 32_767 ? code - 65_536 : code}?`;
  }
  return rtf;
};

/** The lines above the text of a message. */
export const headingOf = ({ from, to, date, subject, attachments }: Message): readonly (readonly [name: string, value: string])[] =>
  (
    [
      ['From', from],
      ['To', to],
      ['Date', date === undefined ? '' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
      ['Subject', subject],
      ['Attachments', attachments.map(({ filename }) => filename).join(', ')],
    ] as const
  ).filter(([, value]) => value !== '');

/** A message as a page that can be printed: what stands above it, and its text. */
export const toRtf = (message: Message): Buffer => {
  const heading = headingOf(message).map(([name, value]) => `{\\b ${name}:} ${escaped(value)}\\par`);
  const text = message.text.slice(0, MAX_PRINTED_CHARACTERS);
  return Buffer.from(
    `{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0\\fswiss Liberation Sans;}}\\paperw11906\\paperh16838\\margl1134\\margr1134\\margt1134\\margb1134\\f0\\fs20\n${heading.join('\n')}\n\\par\n${escaped(text)}\\par}`,
    'latin1',
  );
};
