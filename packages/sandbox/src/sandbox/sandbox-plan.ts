import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BubblewrapMode,
  type BubblewrapUser,
  BWRAP,
  bubblewrapPrefix,
  passwdFor,
  type Sandboxed,
  type SandboxFiles,
} from './bubblewrap.ts';
import { findParserUser } from './parser-user.ts';
import { makeSeccompFilter } from './seccomp-filter.ts';

/**
 * Keeps a file open that has no name any more, and returns where a program that this process starts can open it: nobody can change it,
 * and nothing is left behind when the process is killed.
 */
const openNamelessFile = (content: Buffer | string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-sandbox-'));
  try {
    const file = join(folder, 'file');
    writeFileSync(file, content, { mode: 0o400 });
    return `/proc/${process.pid}/fd/${openSync(file, 'r')}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Where a program that this process starts can open the filter; undefined on machines that have none. */
const openSeccompFilter = (): string | undefined => {
  const filter = makeSeccompFilter(process.arch);
  return filter && openNamelessFile(filter);
};

/** What this machine allows. Plain data, as threads are given it. */
export type SandboxPlan =
  | { readonly kind: 'bubblewrap'; readonly mode: BubblewrapMode; readonly files: SandboxFiles }
  /** `prefix` comes before every command line. */
  | { readonly kind: 'lesser'; readonly prefix: readonly string[]; readonly network: boolean; readonly noNewPrivileges: boolean };

const SETPRIV = '/usr/bin/setpriv';
const UNSHARE = '/usr/bin/unshare';
const TRIAL_LIMIT_MS = 10_000;
const TRIAL: Sandboxed = { file: '/bin/true', cwd: tmpdir(), access: {} };

/** Found out by trying, the strictest first. */
export const makeSandboxPlan = (): SandboxPlan => planBubblewrap() ?? planLesser();

const works = (prefix: readonly string[]): boolean => {
  const [first, ...rest] = [...prefix, '/bin/true'];
  return existsSync(first) && spawnSync(first, rest, { stdio: 'ignore', timeout: TRIAL_LIMIT_MS }).status === 0;
};

const planBubblewrap = (): SandboxPlan | undefined => {
  if (!existsSync(BWRAP)) return undefined;
  const parser = findParserUser();
  // Root of a container may lack the right to mount, and still be allowed a user namespace.
  const users: BubblewrapUser[] = [...(parser === undefined ? [] : [{ kind: 'root', user: parser } as const]), { kind: 'user_namespace' }];
  const filter = openSeccompFilter();
  for (const user of users) {
    const passwdPath = openNamelessFile(passwdFor(user));
    // A kernel without seccomp still gets the rest.
    for (const hasOwnProc of [true, false])
      for (const filterPath of [filter, undefined]) {
        const [mode, files] = [
          { user, hasOwnProc },
          { filterPath, passwdPath },
        ];
        if (works(bubblewrapPrefix(mode, files, TRIAL))) return { kind: 'bubblewrap', mode, files };
      }
  }
  return undefined;
};

/** Without bubblewrap: an empty network where the kernel gives one, and no way to more rights than the service has. */
const planLesser = (): SandboxPlan => {
  const network = [
    [UNSHARE, '--net', '--'],
    [UNSHARE, '--map-current-user', '--net', '--'],
  ].find(works);
  const noNewPrivileges = works([SETPRIV, '--no-new-privs', '--']);
  // Last, because a change of user namespace makes the kernel forget the wish to die with the parent.
  const prefix = [...(network ?? []), ...(noNewPrivileges ? [SETPRIV, '--no-new-privs', '--pdeathsig', 'KILL', '--'] : [])];
  return { kind: 'lesser', prefix, network: network !== undefined, noNewPrivileges };
};
