import type { Db } from '@sheaf/db';
import { reasonOf } from '../failure.ts';
import type { Check, Difference, Progress } from './check.ts';

export interface VerifyResult {
  readonly found: number;
  readonly repaired: number;
  /** What an upgrade has left, and is renewed in the background. */
  readonly outdated: number;
}

export interface VerifyOutput {
  /** One finding a line: `check: subject: finding`, and what became of it. */
  readonly line: (text: string) => void;
  readonly begin: (check: string, total?: number) => void;
  readonly progress: (done: number) => void;
}

const mend = async ({ repair }: Difference): Promise<{ isDone: boolean; note: string }> => {
  try {
    await repair();
    return { isDone: true, note: ' [repaired]' };
  } catch (error) {
    return { isDone: false, note: ` [not repaired: ${reasonOf(error)}]` };
  }
};

/** Runs the checks one after the other and writes a line for each difference. One that cannot be mended does not stop the rest. */
export const runChecks = async (db: Db, checks: readonly Check[], isRepair: boolean, output: VerifyOutput): Promise<VerifyResult> => {
  let found = 0;
  let [repaired, outdated] = [0, 0];
  for (const { name, find } of checks) {
    let known: number | undefined;
    output.begin(name);
    const progress: Progress = (done, total) => {
      if (total !== known) output.begin(name, total);
      known = total;
      output.progress(done);
    };
    for await (const difference of find(db, progress)) {
      if (difference.isRenewed === true && !isRepair) {
        outdated += 1;
        output.line(`${name}: ${difference.subject}: ${difference.finding} [renewed in the background]`);
        continue;
      }
      found += 1;
      const { isDone, note } = isRepair ? await mend(difference) : { isDone: false, note: '' };
      if (isDone) repaired += 1;
      output.line(`${name}: ${difference.subject}: ${difference.finding}${note}`);
    }
  }
  return { found, repaired, outdated };
};
