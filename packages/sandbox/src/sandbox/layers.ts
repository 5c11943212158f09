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
