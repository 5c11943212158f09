import type { Audit } from '@sheaf/accounts/users';
import { Counter, type Registry } from '@sheaf/process';

/** What is written down of a sign-in, and which of its steps it was. */
const STEPS: Readonly<Record<string, string>> = { sign_in: 'first', 'sign_in.mfa': 'second_factor' };

/** Counts sign-ins by what `audit` writes down of them, so that no sign-in method is forgotten. */
export const countSignIns = (registry: Registry, audit: Audit): Audit => {
  const signIns = new Counter({
    name: 'sheaf_sign_ins_total',
    help: 'Sign-ins by step and result',
    labelNames: ['step', 'outcome'],
    registers: [registry],
  });
  for (const step of Object.values(STEPS)) for (const outcome of ['success', 'failure']) signIns.inc({ step, outcome }, 0);
  return async (tx, entry, formerEmail) => {
    await audit(tx, entry, formerEmail);
    const step = STEPS[entry.action];
    if (step !== undefined) signIns.inc({ step, outcome: entry.outcome });
  };
};
