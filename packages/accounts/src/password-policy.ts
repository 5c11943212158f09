import { type Issue, makeIssue, validationError } from '@sheaf/contract';

export interface PasswordPolicy {
  readonly minLength: number;
  readonly requireSpecial: boolean;
  readonly requireNumbers: boolean;
}

/** Whose password it is to be. */
export interface PasswordOwner {
  readonly username: string;
  readonly email: string;
}

/** argon2 reads all of it, so there has to be an end. */
export const MAX_PASSWORD_CHARACTERS = 1_024;

/** Characters as people count them. */
const lengthOf = (password: string): number => Array.from(password).length;

/** Compared as they will be hashed, the case aside. */
const isSame = (password: string, text: string): boolean =>
  password.normalize('NFKC').toLowerCase() === text.normalize('NFKC').toLowerCase();

/** Everything that is wrong with `password`, in words that follow "The password". Empty when it is good. `path` is the field of the request. */
export const passwordFaults = (
  password: string,
  { minLength, requireNumbers, requireSpecial }: PasswordPolicy,
  { username, email }: PasswordOwner,
  path = 'password',
): Issue[] => {
  const [minimum, maximum] = [minLength, MAX_PASSWORD_CHARACTERS];
  const rules = [
    [lengthOf(password) < minimum, 'too_short', { minimum }],
    [lengthOf(password) > maximum, 'too_long', { maximum }],
    [requireNumbers && !/\p{Nd}/u.test(password), 'no_digit'],
    [requireSpecial && !/[^\p{L}\p{N}\p{M}]/u.test(password), 'no_special_character'],
    // Choice: not asked for by the specification, and the first thing anyone tries
    [isSame(password, username) || isSame(password, email), 'same_as_user'],
  ] as const;
  return rules.filter(([isBroken]) => isBroken).map(([, code, details]) => makeIssue(path, code, details));
};

/** Throws VALIDATION_ERROR with one issue for each fault. `path` is the field of the request. */
export const requireGoodPassword = (password: string, policy: PasswordPolicy, owner: PasswordOwner, path = 'password'): void => {
  const issues = passwordFaults(password, policy, owner, path);
  if (issues.length === 0) return;
  throw validationError(`The password ${issues.map(({ message }) => message).join(' and ')}.`, { issues });
};
