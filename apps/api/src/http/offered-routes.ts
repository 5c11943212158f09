import type { FixedConfig } from '@sheaf/config';
import { featureDisabled } from '@sheaf/contract';
import type { Database } from '@sheaf/db';
import type { RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Cursors } from './list-route.ts';
import { type Route, streamRoute } from './route.ts';

/** What the routes of a feature use that lists rows and does something with one of them. */
export interface FeatureServices {
  readonly config: Pick<FixedConfig, 'features'>;
  readonly database: Database;
  readonly cursors: Cursors;
}

const answerOff = (variable: string, route: Route): Route => {
  const { method, path, access, summary, allowedBeforeMfa, isProbe } = route;
  const off = streamRoute({
    method,
    path,
    access,
    summary,
    ...(allowedBeforeMfa && { allowedBeforeMfa }),
    ...(isProbe && { isProbe }),
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    content: { answers: [] },
    // whatever is asked, the answer is the same
    params: z.unknown(),
    query: z.unknown(),
    stream: async () => {
      throw featureDisabled(variable);
    },
  });
  return { ...off, whenOn: { ...route, errors: { ...route.errors, FEATURE_DISABLED: 'NOT_FOUND' } } };
};

/** The routes of a feature; while the setting `variable` is off each answers FEATURE_DISABLED to those it would let in. */
export const behindFeature = (variable: string, isOn: boolean, routes: readonly Route[]): readonly Route[] =>
  isOn ? routes : routes.map((route) => answerOff(variable, route));

export const V2_PREFIX = '/api/v2';

/**
 * When the lists by numbered pages end. Choice: a year after version 2 first appeared (0.1.0, November 2026): time enough for whoever
 * wrote a client to look at it once in a year's round of updates.
 */
export const SUNSET = new Date('2027-11-30T00:00:00Z');

export type ApiVersion = 'v1' | 'v2';

const isVersioned = ({ path }: Route): boolean => path.startsWith('/api/');

/** Where a route is served. Its `path` names the resource alone, so rules that go by it hold in every version. */
export const addressOf = ({ path, version }: Pick<Route, 'path' | 'version'>): string =>
  version === 'v2' ? V2_PREFIX + path.slice('/api'.length) : path;

/**
 * Every route of version 1 and the same once more for version 2, with another one in its place where version 2 has one; what that
 * supersedes is deprecated then. What is not below /api has no versions.
 */
export const withVersion2 = (routes: readonly Route[]): readonly Route[] => [
  ...routes.map((route) => (route.isSuperseded === true ? { ...route, isDeprecated: true as const } : route)),
  ...routes.filter(isVersioned).map((route) => ({ ...(route.v2 ?? route), version: 'v2' as const })),
];

/** What the text of one version tells of: its own routes and those that have no version. */
export const routesOfVersion = (routes: readonly Route[], version: ApiVersion): readonly Route[] =>
  routes.filter((route) => !isVersioned(route) || (route.version ?? 'v1') === version);

/** Tells the caller of a deprecated route until when there is one, and what comes after it. The date is the value of both headers. */
export const setDeprecationHeaders = (response: Response, address: string): void => {
  response.setHeader('Deprecation', SUNSET.toUTCString());
  response.setHeader('Sunset', SUNSET.toUTCString());
  response.setHeader('Link', `<${V2_PREFIX}${address.slice('/api'.length)}>; rel="successor-version"`);
};

/** Answers whatever is asked of version 2 while there is none. */
export const noVersion2 = (): RequestHandler => () => {
  throw featureDisabled('FEATURE_API_V2');
};
