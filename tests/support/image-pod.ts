import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoot } from './conditional-test.ts';
import { parseDockerfile } from './dockerfile.ts';
import { type ChartPod, environmentOf, programOf } from './helm-chart.ts';
import { StartedProgram } from './started-program.ts';

const ROOT = join(import.meta.dirname, '../..');
const BWRAP = '/usr/bin/bwrap';
const LINKS = ['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--as-pid-1', '--die-with-parent'];
const SYSTEM = ['--ro-bind', '/usr', '/usr', ...LINKS, '--ro-bind', '/etc', '/etc', '--proc', '/proc', '--dev', '/dev'];

/** Whether this machine lets a program have a root, a user and processes of its own. */
export const canStartPods = spawnSync(BWRAP, [...NAMESPACES, ...SYSTEM, '/usr/bin/true']).status === 0;

/** Somebody else's, as a volume of Kubernetes is: root's there. */
const SOMEBODY = 12_345;

export interface PodSettings {
  readonly pod: ChartPod;
  /** What stands for the volumes of its node. */
  readonly folder: string;
  readonly name: string;
  readonly secret: Readonly<Record<string, string>>;
  /** In place of variables of the chart. */
  readonly environment: Readonly<Record<string, string>>;
}

const makeVolumes = async ({ pod: { container }, folder, name }: PodSettings): Promise<string[]> => {
  const binds: string[] = [];
  for (const { name: volume, mountPath } of container.volumeMounts) {
    const path = join(folder, name, volume);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o777);
    if (isRoot) await chown(path, SOMEBODY, SOMEBODY);
    binds.push('--bind', path, mountPath);
  }
  return binds;
};

const homeOf = (commands: readonly string[]): string => /--home-dir (\S+)/.exec(commands.join('\n'))?.[1] ?? '/';

/**
 * Starts the container of a pod without a container engine: the command of the chart with the environment of chart and image, as the
 * user of the chart, in a read-only root that has this system's programs, this tree as /app, and the volumes of the chart. It has its own
 * processes and host name. Not the image itself, not tini, and the network is this machine's.
 */
export const startPod = async (settings: PodSettings): Promise<StartedProgram> => {
  const { pod, name, secret, environment } = settings;
  const { instructions } = parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8')).at(-1) ?? { instructions: [] };
  const textsOf = (word: string): string[] => instructions.filter((instruction) => instruction.word === word).map(({ text }) => text);
  const ofImage = Object.fromEntries(
    textsOf('ENV').flatMap((text) => text.split(/\s+/).map((pair) => pair.split('=', 2) as [string, string])),
  );
  const folders = textsOf('VOLUME').flatMap((text) => JSON.parse(text) as string[]);
  const { runAsUser } = pod.spec['securityContext'] as { runAsUser: number };
  const identity = ['--uid', String(runAsUser), '--gid', String(runAsUser), '--hostname', name];
  const own = ['--ro-bind', ROOT, '/app', ...folders.flatMap((path) => ['--dir', path]), ...(await makeVolumes(settings))];
  return new StartedProgram({
    command: [
      BWRAP,
      ...NAMESPACES,
      ...identity,
      ...SYSTEM,
      ...own,
      '--remount-ro',
      '/',
      '--chdir',
      '/app',
      '--',
      ...programOf(pod.container),
    ],
    cwd: ROOT,
    // an engine takes HOME from the image's /etc/passwd
    env: { PATH: '/usr/bin:/bin', HOME: homeOf(textsOf('RUN')), ...ofImage, ...environmentOf(pod.container, secret), ...environment },
    isWrapper: true,
  });
};
