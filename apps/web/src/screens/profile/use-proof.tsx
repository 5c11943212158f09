import { type ReactNode, useState } from 'react';
import { Problem } from '../../interface/problem.ts';
import { type Proof, ProveForm } from './prove-form.tsx';

/** A change, with a proof where one was given. */
type Change = (proof: Proof | Record<string, never>) => Promise<void>;

interface Proving {
  /** Makes the change, with a proof where the service asks for one. Throws what it throws, but for that. */
  readonly prove: (change: Change) => Promise<void>;
  /** The dialog that asks for the proof; nothing while none is needed. */
  readonly dialog: ReactNode;
}

/** For changes that the service may want proven to be the user's own. */
export const useProof = (): Proving => {
  const [waiting, setWaiting] = useState<Change>();
  const prove = async (change: Change): Promise<void> => {
    try {
      await change({});
    } catch (error) {
      if (!(error instanceof Problem) || error.details['reason'] !== 'proof_required') throw error;
      setWaiting(() => change);
    }
  };
  const finish = async (proof: Proof): Promise<void> => {
    await waiting?.(proof);
    setWaiting(undefined);
  };
  return { prove, dialog: waiting && <ProveForm onProven={finish} onClose={() => setWaiting(undefined)} /> };
};
