import { compileMessage } from '@sheaf/messages/catalogue';

/** Text, or `[name]`, `[name, type, branches]`; `#` is the number that a plural counts. */
type Tokens = string | readonly (string | readonly [name: string, type?: string, branches?: Readonly<Record<string, Tokens>>])[];

const render = (tokens: Tokens, counted: string): string => {
  if (typeof tokens === 'string') return tokens === '#' ? `{${counted}}` : tokens;
  return tokens
    .map((token) => {
      if (typeof token === 'string') return render(token, counted);
      const [key, type, branches] = token;
      const name = key.replace(/^[?#]/, '');
      return type === undefined ? `{${name}}` : render(branches?.['other'] ?? '', type === 'plural' ? name : counted);
    })
    .join('');
};

/** A message with its details in braces; of one that depends on a detail, the general branch. */
export const generalMessage = (message: string): string => render(compileMessage(message) as Tokens, '');
