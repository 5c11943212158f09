import { TypeCheck } from '@sheaf/ingest';
import { silentLogger } from '@sheaf/process';

/** One for all that a test file imports. Its thread ends with the test process. */
export const typeCheck = new TypeCheck({ threads: 1 }, silentLogger());
