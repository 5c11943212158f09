import { type PasswordPolicy, passwordFaults } from '@sheaf/accounts';
import type { Issue } from '@sheaf/contract';
import type { Live } from '@sheaf/process';
import { z } from 'zod';

const owner = z.object({ username: z.string().catch(''), email: z.string().catch('') });

/** Returns what the policy has against the password in `field` of a body, however wrong the rest of the body is. */
export const passwordIssues =
  (field: 'password' | 'new_password', policy: Live<PasswordPolicy>) =>
  (given: unknown): readonly Issue[] => {
    const body = z.object({ [field]: z.string() }).safeParse(given);
    const password = body.data?.[field];
    return password === undefined ? [] : passwordFaults(password, policy.current(), owner.parse(given), field);
  };
