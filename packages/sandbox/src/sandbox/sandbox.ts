import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { SandboxLayers } from '@sheaf/contract/operations';
import {
  type BubblewrapMode,
  type BubblewrapUser,
  BWRAP,
  bubblewrapPrefix,
  findParserUser,
  type ParserUser,
  passwdFor,
  type Sandboxed,
  type SandboxFiles,
  type ToolAccess,
} from './bubblewrap.ts';

const PLAN = 'sheaf sandbox plan';

/** Made once a process; threads that start later inherit it. */
const sandboxPlan = (): SandboxPlan => {
  const known = getEnvironmentData(PLAN) as SandboxPlan | undefined;
  if (known !== undefined) return known;
  const made = makeSandboxPlan();
  setEnvironmentData(PLAN, made);
  return made;
};

/** The words before a command line that put it into the sandbox of this machine. */
export const sandboxPrefix = (file: string, cwd: string, access: ToolAccess): readonly string[] => {
  const plan = sandboxPlan();
  return plan.kind === 'bubblewrap' ? bubblewrapPrefix(plan.mode, plan.files, { file, cwd, access }) : plan.prefix;
};

/** The user that sandboxed programs run as, where it is not that of the service. */
export const parserUser = (): ParserUser | undefined => {
  const plan = sandboxPlan();
  return plan.kind === 'bubblewrap' && plan.mode.user.kind === 'root' ? plan.mode.user.user : undefined;
};

/** Whether programs see `/tmp` as the folder that was named for it. */
export const hasOwnTemporaryFolder = (): boolean => sandboxPlan().kind === 'bubblewrap';

export const sandboxLayers = (): Omit<SandboxLayers, 'resource_limits'> => {
  const plan = sandboxPlan();
  if (plan.kind === 'bubblewrap') {
    const user = parserUser()?.name ?? null;
    const seccomp = plan.files.filterPath !== undefined;
    return { filesystem: 'bubblewrap', network: true, processes: true, user, seccomp, no_new_privileges: true };
  }
  const { network, noNewPrivileges } = plan;
  return { filesystem: 'none', network, processes: false, user: null, seccomp: false, no_new_privileges: noNewPrivileges };
};

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
type SandboxPlan =
  | { readonly kind: 'bubblewrap'; readonly mode: BubblewrapMode; readonly files: SandboxFiles }
  /** `prefix` comes before every command line. */
  | { readonly kind: 'lesser'; readonly prefix: readonly string[]; readonly network: boolean; readonly noNewPrivileges: boolean };

const SETPRIV = '/usr/bin/setpriv';
const UNSHARE = '/usr/bin/unshare';
const TRIAL_LIMIT_MS = 10_000;
const TRIAL: Sandboxed = { file: '/bin/true', cwd: tmpdir(), access: {} };

/** Found out by trying, the strictest first. */
const makeSandboxPlan = (): SandboxPlan => planBubblewrap() ?? planLesser();

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

/**
 * A seccomp filter as bubblewrap takes it: a program of classic BPF (linux/filter.h, linux/seccomp.h), eight bytes an instruction.
 * It lets a program that reads documents do what such a program does, and refuses what attacks on the kernel need.
 */
const makeSeccompFilter = (arch: string): Buffer | undefined => {
  const machine = MACHINES[arch];
  return machine === undefined ? undefined : assemble(machine);
};

interface Machine {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number;
  /** Numbers of the calls that are refused. */
  readonly refused: readonly number[];
  readonly socket: number;
  readonly clone: number;
  readonly ioctl: number;
  /** Calls from here on belong to a second table of the same machine (x32). */
  readonly foreignFrom: number | undefined;
}

/** Numbers of both machines: x64, arm64. Calls that arm64 does not have are undefined there. */
const REFUSED: Readonly<Record<string, readonly [number, number | undefined]>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  personality: [135, 92],
  vhangup: [153, 58],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
};

const numbersFor = (column: 0 | 1): readonly number[] =>
  Object.values(REFUSED)
    .map((numbers) => numbers[column])
    .filter((number) => number !== undefined);

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000003e, refused: numbersFor(0), socket: 41, clone: 56, ioctl: 16, foreignFrom: 0x40000000 },
  arm64: { audit: 0xc00000b7, refused: numbersFor(1), socket: 198, clone: 220, ioctl: 29, foreignFrom: undefined },
};

/** The same number everywhere. Its flags lie in memory, where no filter can look, so it is as if the kernel did not have it. */
const CLONE3 = 435;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e020000;
const AF_UNIX = 1;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const fail = (errno: number): number => 0x00050000 | errno;

/** Offsets in struct seccomp_data; of arguments the lower half, which is all that the checked ones have. */
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number): number => 16 + index * 8;

interface Instruction {
  readonly code: number;
  readonly k: number;
  readonly whenTrue?: number;
  readonly whenFalse?: number;
}

const load = (offset: number): Instruction => ({ code: 0x20, k: offset });
const give = (verdict: number): Instruction => ({ code: 0x06, k: verdict });
/** Gives the verdict where the loaded number is `k`, and goes on where it is not. */
const ifEqual = (k: number, verdict: number): Instruction[] => [{ code: 0x15, k, whenTrue: 0, whenFalse: 1 }, give(verdict)];
const unlessEqual = (k: number, verdict: number): Instruction[] => [{ code: 0x15, k, whenTrue: 1, whenFalse: 0 }, give(verdict)];
const ifAtLeast = (k: number, verdict: number): Instruction[] => [{ code: 0x35, k, whenTrue: 0, whenFalse: 1 }, give(verdict)];
const ifAnyBit = (k: number, verdict: number): Instruction[] => [{ code: 0x45, k, whenTrue: 0, whenFalse: 1 }, give(verdict)];
/** For one call: looks at one of its arguments by `checks`, and allows it where they do not decide. */
const forCall = (number: number, index: number, checks: readonly Instruction[]): Instruction[] => {
  const body = [load(argument(index)), ...checks, give(ALLOW)];
  return [{ code: 0x15, k: number, whenTrue: 0, whenFalse: body.length }, ...body];
};

const assemble = ({ audit, refused, socket, clone, ioctl, foreignFrom }: Machine): Buffer => {
  const program = [
    load(ARCH),
    ...unlessEqual(audit, KILL_PROCESS),
    load(NUMBER),
    ...(foreignFrom === undefined ? [] : ifAtLeast(foreignFrom, fail(ENOSYS))),
    ...refused.flatMap((number) => ifEqual(number, fail(EPERM))),
    ...ifEqual(CLONE3, fail(ENOSYS)),
    ...forCall(clone, 0, ifAnyBit(NEW_NAMESPACES, fail(EPERM))),
    ...forCall(socket, 0, unlessEqual(AF_UNIX, fail(EAFNOSUPPORT))),
    ...forCall(ioctl, 1, [...ifEqual(TIOCSTI, fail(EPERM)), ...ifEqual(TIOCLINUX, fail(EPERM))]),
    give(ALLOW),
  ];
  return Buffer.concat(program.map(encode));
};

const encode = ({ code, k, whenTrue = 0, whenFalse = 0 }: Instruction): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(whenTrue, 2);
  bytes.writeUInt8(whenFalse, 3);
  bytes.writeUInt32LE(k >>> 0, 4);
  return bytes;
};
