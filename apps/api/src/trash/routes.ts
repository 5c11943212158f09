import type { Route } from '../http/route.ts';
import { empty, purge, restore } from './change-trash.ts';
import { list, read } from './read-trash.ts';
import type { TrashServices } from './trash-services.ts';

export const trashRoutes = (services: TrashServices): readonly Route[] => [
  list(services),
  empty(services),
  read(services),
  restore(services),
  purge(services),
];
