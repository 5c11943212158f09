import type { Route } from '../http/route.ts';
import { empty, list, purge, read, restore, type TrashServices } from './change-trash.ts';

export const trashRoutes = (services: TrashServices): readonly Route[] => [
  list(services),
  empty(services),
  read(services),
  restore(services),
  purge(services),
];
