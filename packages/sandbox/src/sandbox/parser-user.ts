import { readFileSync } from 'node:fs';

/** The OS user that `./setup` makes for programs that read documents. */
export const PARSER_OS_USER = 'sheaf-parser';

export interface ParserUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user that programs run as where the service runs as root; undefined where it does not, as only root may change users.
 * Without `sheaf-parser` it is the system's user for nobody's files.
 */
export const findParserUser = (): ParserUser | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const users = readUsers();
  return users.find(({ name }) => name === PARSER_OS_USER) ?? users.find(({ name }) => name === 'nobody');
};

const readUsers = (): readonly ParserUser[] => {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    return lines.map((line) => line.split(':')).map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  } catch {
    return []; // a system without users
  }
};
