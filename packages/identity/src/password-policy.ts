import { validationError } from '@sheaf/contract';

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

/** Everything that is wrong with `password`, in words that follow "The password". Empty when it is good. */
export const passwordFaults = (password: string, policy: PasswordPolicy, { username, email }: PasswordOwner): string[] => {
  const rules: readonly (readonly [isBroken: boolean, fault: string])[] = [
    [lengthOf(password) < policy.minLength, `must have at least ${policy.minLength} characters`],
    [lengthOf(password) > MAX_PASSWORD_CHARACTERS, `must have at most ${MAX_PASSWORD_CHARACTERS} characters`],
    [policy.requireNumbers && !/\p{Nd}/u.test(password), 'must have a digit'],
    [policy.requireSpecial && !/[^\p{L}\p{N}\p{M}]/u.test(password), 'must have a character that is neither a letter nor a digit'],
    // Choice: not asked for by the specification, and the first thing anyone tries
    [isSame(password, username) || isSame(password, email), 'must not be the user name or the e-mail address'],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault);
};

/** Throws VALIDATION_ERROR with one issue for each fault. `path` is the field of the request. */
export const requireGoodPassword = (password: string, policy: PasswordPolicy, owner: PasswordOwner, path = 'password'): void => {
  const faults = passwordFaults(password, policy, owner);
  if (faults.length === 0) return;
  throw validationError(`The password ${faults.join(' and ')}`, { issues: faults.map((message) => ({ path, message })) });
};
