import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees what nobody holds any more: how long it lies about is chance, and it would count as held. */
export const collectGarbage = runInNewContext('gc') as () => void;
