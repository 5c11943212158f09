import type { Component } from '@sheaf/process';

/**
 * The children as one component: started in their order, each when the one before is ready, and stopped all at once. None of them needs
 * another to stop: the api lets its requests end while readers give their jobs back, and what one tells another lies in the
 * database, which stops after them. One after the other they would take the sum of their times.
 */
export const asGroup = (children: readonly Component[]): Component => {
  let isStopping = false;
  return {
    name: 'children',
    start: async () => {
      for (const child of children) {
        if (isStopping) return;
        await child.start();
      }
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(children.map((child) => child.stop()));
    },
  };
};
