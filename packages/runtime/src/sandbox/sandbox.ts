import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SandboxLayers } from '@sheaf/contract';
import type { ToolAccess } from './access.ts';
import { type BubblewrapMode, type BubblewrapUser, BWRAP, bubblewrapPrefix, type Sandboxed } from './bubblewrap.ts';
import { findParserUser, type ParserUser } from './parser-user.ts';
import { seccompFilterPath } from './seccomp-file.ts';

const SETPRIV = '/usr/bin/setpriv';
const UNSHARE = '/usr/bin/unshare';
const TRIAL_LIMIT_MS = 10_000;

/** A way to start programs that read documents, as strict as this machine allows. */
interface Sandbox {
  readonly layers: Omit<SandboxLayers, 'resource_limits'>;
  /** The user that programs run as, where it is not that of the service. */
  readonly user: ParserUser | undefined;
  /** Programs see `/tmp` as the folder that was named for it. */
  readonly hasOwnTemporaryFolder: boolean;
  prefix(program: Sandboxed): readonly string[];
}

const works = (prefix: readonly string[]): boolean => {
  const [first, ...rest] = [...prefix, '/bin/true'];
  return existsSync(first) && spawnSync(first, rest, { stdio: 'ignore', timeout: TRIAL_LIMIT_MS }).status === 0;
};

const TRIAL: Sandboxed = { file: '/bin/true', cwd: tmpdir(), access: {} };

const withBubblewrap = (mode: BubblewrapMode): Sandbox | undefined => {
  // A kernel without seccomp still gets the rest.
  const filterPath = [seccompFilterPath(), undefined].find((path) => works(bubblewrapPrefix(mode, path, TRIAL)));
  if (filterPath === undefined && !works(bubblewrapPrefix(mode, undefined, TRIAL))) return undefined;
  const user = mode.user.kind === 'root' ? mode.user.user : undefined;
  return {
    layers: {
      filesystem: 'bubblewrap',
      network: true,
      processes: true,
      user: user?.name ?? null,
      seccomp: filterPath !== undefined,
      no_new_privileges: true,
    },
    user,
    hasOwnTemporaryFolder: true,
    prefix: (program) => bubblewrapPrefix(mode, filterPath, program),
  };
};

const openBubblewrap = (): Sandbox | undefined => {
  if (!existsSync(BWRAP)) return undefined;
  const user = findParserUser();
  // Root of a container may lack the right to mount, and still be allowed a user namespace.
  const users: BubblewrapUser[] = [...(user === undefined ? [] : [{ kind: 'root', user } as const]), { kind: 'user_namespace' }];
  for (const one of users)
    for (const hasOwnProc of [true, false]) {
      const found = withBubblewrap({ user: one, hasOwnProc });
      if (found !== undefined) return found;
    }
  return undefined;
};

/** Without bubblewrap: an empty network where the kernel gives one, and no way to more rights than the service has. */
const openLesser = (): Sandbox => {
  const privileges = [SETPRIV, '--no-new-privs', '--'];
  const network = [
    [UNSHARE, '--net', '--'],
    [UNSHARE, '--map-current-user', '--net', '--'],
  ].find(works);
  const noNewPrivileges = works(privileges);
  // Last, because a change of user namespace makes the kernel forget the wish to die with the parent.
  const prefix = [...(network ?? []), ...(noNewPrivileges ? [SETPRIV, '--no-new-privs', '--pdeathsig', 'KILL', '--'] : [])];
  return {
    layers: {
      filesystem: 'none',
      network: network !== undefined,
      processes: false,
      user: null,
      seccomp: false,
      no_new_privileges: noNewPrivileges,
    },
    user: undefined,
    hasOwnTemporaryFolder: false,
    prefix: () => prefix,
  };
};

let opened: Sandbox | undefined;

/** Found out once a process, by trying. */
const sandbox = (): Sandbox => {
  opened ??= openBubblewrap() ?? openLesser();
  return opened;
};

/** The words before a command line that put it into the sandbox of this machine. */
export const sandboxPrefix = (file: string, cwd: string, access: ToolAccess): readonly string[] => sandbox().prefix({ file, cwd, access });

export const sandboxLayers = (): Omit<SandboxLayers, 'resource_limits'> => sandbox().layers;

/** The user that sandboxed programs run as, where it is not that of the service. */
export const parserUser = (): ParserUser | undefined => sandbox().user;

export const hasOwnTemporaryFolder = (): boolean => sandbox().hasOwnTemporaryFolder;
