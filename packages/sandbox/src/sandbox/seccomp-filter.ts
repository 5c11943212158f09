/**
 * A seccomp filter as bubblewrap takes it: a program of classic BPF (linux/filter.h, linux/seccomp.h), eight bytes an instruction.
 * It lets a program that reads documents do what such a program does, and refuses what attacks on the kernel need.
 */
export const makeSeccompFilter = (arch: string): Buffer | undefined => {
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
