import { randomInt } from 'node:crypto';
import { type PasswordPolicy, passwordFaults } from '@sheaf/identity';

/** Without those that look alike. */
const CHARACTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUP_CHARACTERS = 5;
/** 25 characters of 32: 125 bits. */
const MIN_GROUPS = 5;

const makeGroup = (): string => Array.from({ length: GROUP_CHARACTERS }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');

/** A password that nobody can guess and everybody can type, within the rules. */
export const makePassword = (policy: PasswordPolicy, owner: { readonly username: string; readonly email: string }): string => {
  const groups = Math.max(MIN_GROUPS, Math.ceil(policy.minLength / GROUP_CHARACTERS));
  for (;;) {
    const password = Array.from({ length: groups }, makeGroup).join('-');
    if (passwordFaults(password, policy, owner).length === 0) return password; // else it has no digit, by chance
  }
};
