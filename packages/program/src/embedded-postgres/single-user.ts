import { type Binaries, programPath } from './binaries.ts';
import { runAs, type ServerUser } from './os-user.ts';

/** Runs SQL on a data directory whose server is down, one statement a line. Needs no password and no port. */
export const runSingleUser = async (user: ServerUser, binaries: Binaries, dataPath: string, sql: string): Promise<void> => {
  const settings = ['-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic', '-c', 'unix_socket_directories='];
  await runAs(user, programPath(binaries, 'postgres'), ['--single', '-D', dataPath, ...settings, 'template1'], sql);
};
