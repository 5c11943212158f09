import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import type { SandboxLayers } from '@sheaf/contract/operations';

/** One line for a log or a health message. */
export const describeLayers = (layers: SandboxLayers): string => {
  const parts = [
    layers.filesystem === 'none' ? undefined : `files (${layers.filesystem})`,
    layers.network ? 'network' : undefined,
    layers.processes ? 'processes' : undefined,
    layers.user === null ? undefined : `user ${layers.user}`,
    layers.seccomp ? 'system calls (seccomp)' : undefined,
    layers.no_new_privileges ? 'no new privileges' : undefined,
    layers.resource_limits ? 'resource limits' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'none' : parts.join(', ');
};

/** https://github.com/containers/bubblewrap; options of 0.7 (Debian 12 has 0.8). */
export const BWRAP = '/usr/bin/bwrap';
const SETPRIV = '/usr/bin/setpriv';
const FILTER_DESCRIPTOR = 9;
const PASSWD_DESCRIPTOR = 8;
/**
 * Becomes the command behind its first three arguments: the process that starts it, and two files to open. A parent that was killed
 * before the kernel knew of the wish to die with it has left an orphan, which ends here.
 */
const OPEN_FILES = `[ "$PPID" = "$1" ] || exit 1; filter=$2 passwd=$3; shift 3; exec "$@" ${FILTER_DESCRIPTOR}<"$filter" ${PASSWD_DESCRIPTOR}<"$passwd"`;
const TEMPORARY_BYTES = 64 * 1024 * 1024;

/** Programs, libraries, fonts, models and their settings; nothing that belongs to somebody. */
const SYSTEM_FOLDERS = [
  '/usr/bin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libexec',
  '/usr/share',
  '/usr/local/bin',
  '/usr/local/lib',
  '/usr/local/share',
  '/etc/alternatives',
  '/etc/fonts',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/libreoffice',
  '/etc/localtime',
  '/var/cache/fontconfig',
  '/var/lib/libreoffice',
];
/** LibreOffice does not start without the first. */
const MACHINE_FACTS = ['/proc/version', '/proc/cpuinfo', '/proc/meminfo', '/proc/filesystems'];
/** Links into /usr on merged systems, folders on others. */
const ROOT_FOLDERS = ['/bin', '/lib', '/lib32', '/lib64'];

/** How the user of the program is changed: by a namespace of its own, or, by root, to another user. */
export type BubblewrapUser = { readonly kind: 'user_namespace' } | { readonly kind: 'root'; readonly user: ParserUser };

export interface BubblewrapMode {
  readonly user: BubblewrapUser;
  /** Containers whose `/proc` is masked allow none of its own: then only a few facts of the machine stand there. */
  readonly hasOwnProc: boolean;
}

/** Where the sandbox finds what it is made with. */
export interface SandboxFiles {
  /** Undefined: no filter. */
  readonly filterPath: string | undefined;
  readonly passwdPath: string;
}

/** The users that a program knows: its own. LibreOffice names its socket by it. */
export const passwdFor = (user: BubblewrapUser): string => {
  const { uid, gid } = user.kind === 'root' ? user.user : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return `parser:x:${uid}:${gid}::/:/usr/sbin/nologin\n`;
};

export interface Sandboxed {
  readonly file: string;
  readonly cwd: string;
  readonly access: ToolAccess;
}

/**
 * The words before a command line that runs it in a sandbox: no network, no other processes, no capabilities, nothing of the file
 * system but what is named. It ends with the process (the very thread) that started it.
 */
export const bubblewrapPrefix = (mode: BubblewrapMode, files: SandboxFiles, program: Sandboxed): readonly string[] => [
  ...(existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : []),
  '/bin/sh',
  '-c',
  OPEN_FILES,
  'sandbox',
  `${process.pid}`,
  files.filterPath ?? '/dev/null',
  files.passwdPath,
  BWRAP,
  '--die-with-parent',
  '--new-session',
  ...(files.filterPath === undefined ? [] : ['--seccomp', `${FILTER_DESCRIPTOR}`]),
  ...namespaceArgs(mode.user),
  ...(mode.hasOwnProc ? ['--proc', '/proc'] : MACHINE_FACTS.flatMap(readOnlyArgs)),
  ...fileArgs(program),
  '--',
  ...(mode.user.kind === 'root' ? changeUser(mode.user.user) : []),
];

const namespaceArgs = ({ kind }: BubblewrapUser): readonly string[] => {
  const always = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--cap-drop', 'ALL'];
  // Root keeps what it needs to become the other user; setpriv gives the rest up.
  const toChangeUser = ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'];
  return kind === 'root' ? [...always, ...toChangeUser] : ['--unshare-user', ...always];
};

const changeUser = ({ uid, gid }: ParserUser): readonly string[] => [
  SETPRIV,
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
  '--inh-caps=-all',
  '--ambient-caps=-all',
  '--bounding-set=-all',
  '--no-new-privs',
  '--',
];

const fileArgs = ({ file, cwd, access }: Sandboxed): readonly string[] => [
  ...systemArgs(),
  '--perms',
  '0644',
  '--ro-bind-data',
  `${PASSWD_DESCRIPTOR}`,
  '/etc/passwd',
  '--dev',
  '/dev',
  '--remount-ro',
  '/dev',
  ...(access.temporaryFolder === undefined
    ? ['--perms', '1777', '--size', `${TEMPORARY_BYTES}`, '--tmpfs', '/tmp']
    : ['--bind', access.temporaryFolder, '/tmp']),
  ...[...(isAbsolute(file) && !isOfSystem(file) ? [file] : []), ...(access.readOnly ?? [])].flatMap(readOnlyArgs),
  ...[cwd, ...(access.writable ?? [])].flatMap((path) => [...passableFolders(path), '--bind', path, path]),
  '--remount-ro',
  '/',
  '--chdir',
  cwd,
];

const isOfSystem = (path: string): boolean => [...SYSTEM_FOLDERS, ...ROOT_FOLDERS].some((folder) => path.startsWith(`${folder}/`));

const readOnlyArgs = (path: string): readonly string[] => [...passableFolders(path), '--ro-bind-try', path, path];

/** bubblewrap makes the folders above a path for the user that starts it alone. */
const passableFolders = (path: string): readonly string[] => {
  const above: string[] = [];
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) above.unshift('--perms', '0755', '--dir', folder);
  return above;
};

/** Where the C library learns of large pages, which `toolEnvironment` asks for: without it there are none. */
const LARGE_PAGES = '/sys/kernel/mm/transparent_hugepage';

let knownSystemArgs: readonly string[] | undefined;

const systemArgs = (): readonly string[] => {
  knownSystemArgs ??= [...[...SYSTEM_FOLDERS, LARGE_PAGES].flatMap(readOnlyArgs), ...ROOT_FOLDERS.flatMap(rootArgs)];
  return knownSystemArgs;
};

const rootArgs = (folder: string): readonly string[] => {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : ['--ro-bind', folder, folder];
};

/** What a program may open beside the system's libraries and fonts. Paths are absolute and the same inside and outside. */
export interface ToolAccess {
  readonly readOnly?: readonly string[];
  /** Beside the working directory, which always is. */
  readonly writable?: readonly string[];
  /** The folder that is `/tmp` inside; an empty one in memory where none is given. */
  readonly temporaryFolder?: string;
}

/** The OS user that `./setup` makes for programs that read documents. */
const PARSER_OS_USER = 'sheaf-parser';

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
