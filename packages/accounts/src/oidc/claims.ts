import { toCleanText } from '../clean-text.ts';
import type { ExternalIdentity } from '../external-identity.ts';

export type Claims = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Claims => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The claim `path` names: by its whole name first, as URLs contain dots, then as a path into objects. Names on the way may contain
 * dots too, so the longest one goes first.
 */
export const readClaim = (claims: unknown, path: string): unknown => {
  if (!isObject(claims)) return undefined;
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const head = path.slice(0, dot);
    const found = Object.hasOwn(claims, head) ? readClaim(claims[head], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Groups as a list, or as a text that separates them by spaces or commas. */
export const toGroups = (value: unknown): readonly string[] => {
  const names = typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  return [...new Set(names.map(toCleanText).filter((name) => name !== undefined))];
};

const isTrue = (value: unknown): boolean => value === true || value === 'true'; // some providers write it as text

export interface ClaimNames {
  readonly userClaim: string | undefined;
  readonly groupsClaim: string;
}

/** Whether the id token alone says what is needed of its user. */
export const isComplete = (claims: Claims, { userClaim, groupsClaim }: ClaimNames): boolean =>
  ['email', userClaim ?? 'preferred_username', groupsClaim].every((name) => readClaim(claims, name) !== undefined);

/** An address is verified where the same source says so of the same address. */
const readEmail = (sources: readonly Claims[]): { email: string | undefined; emailVerified: boolean } => {
  const email = sources.map((source) => toCleanText(source['email'])).find((text) => text?.includes('@') === true);
  const emailVerified = sources.some((source) => toCleanText(source['email']) === email && isTrue(source['email_verified']));
  return { email, emailVerified: email !== undefined && emailVerified };
};

/** The user as `sources` describe him, the first one that knows a claim rules. Undefined where a claim that must be there is not. */
export const toIdentity = (
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  sources: readonly Claims[],
  { userClaim, groupsClaim }: ClaimNames,
): ExternalIdentity | undefined => {
  const read = (name: string): unknown => sources.map((source) => readClaim(source, name)).find((value) => value !== undefined);
  const { email, emailVerified } = readEmail(sources);
  const username = userClaim === undefined ? (toCleanText(read('preferred_username')) ?? email) : toCleanText(read(userClaim));
  if (toCleanText(subject) === undefined || (userClaim !== undefined && username === undefined)) return undefined;
  return {
    method: 'oidc',
    externalId: `${issuer}|${subject}`,
    username,
    email,
    emailVerified,
    displayName: toCleanText(read('name')),
    groups: toGroups(read(groupsClaim)),
  };
};
