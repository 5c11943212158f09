import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { SandboxLayers } from '@sheaf/contract/operations';
import type { ToolAccess } from './access.ts';
import { bubblewrapPrefix } from './bubblewrap.ts';
import type { ParserUser } from './parser-user.ts';
import { makeSandboxPlan, type SandboxPlan } from './sandbox-plan.ts';

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
