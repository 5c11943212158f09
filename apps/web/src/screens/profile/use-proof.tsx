import { type ReactNode, useState } from 'react';
import { Problem } from '../../interface/problem.ts';
import { type Proof, ProveForm } from './prove-form.tsx';

/** A change, with a proof where one was given. */
type Change = (proof: Proof | Record<string, never>) => Promise<void>;

/** A change whose proof the user is asked for. */
interface Waiting {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (problem: unknown) => void;
}

interface Proving {
  /**
   * Makes the change, with a proof where the service asks for one. Resolves when it is made or the user gave up; throws what is wrong
   * with the change itself. What is wrong with the proof is said in the dialog.
   */
  readonly prove: (change: Change) => Promise<void>;
  /** The dialog that asks for the proof; nothing while none is needed. */
  readonly dialog: ReactNode;
}

const isProofWanted = (error: unknown): boolean => error instanceof Problem && error.details['reason'] === 'proof_required';

/** Whether an error concerns the proof of a change, not the change. */
const isAboutProof = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'PROOF_WRONG' || error.code === 'ACCOUNT_LOCKED' || error.isPassing);

/** For changes that the service may want proven to be the user's own. */
export const useProof = (): Proving => {
  const [waiting, setWaiting] = useState<Waiting>();
  const prove = async (change: Change): Promise<void> => {
    try {
      await change({});
    } catch (error) {
      if (!isProofWanted(error)) throw error;
      await new Promise<void>((resolve, reject) => setWaiting({ change, resolve, reject }));
    }
  };
  const finish = async (proof: Proof): Promise<void> => {
    try {
      await waiting?.change(proof);
      waiting?.resolve();
    } catch (error) {
      if (isAboutProof(error)) throw error;
      waiting?.reject(error);
    }
    setWaiting(undefined);
  };
  const close = (): void => {
    setWaiting(undefined);
    waiting?.resolve();
  };
  return { prove, dialog: waiting && <ProveForm onProven={finish} onClose={close} /> };
};
