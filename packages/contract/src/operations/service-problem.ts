import { type MessageKey, type NeededArguments, serviceProblemText } from '@sheaf/messages';
import { englishTranslator } from '@sheaf/messages/english';
import { z } from 'zod';
import { connectionReason } from '../connection-reason.ts';
import { AppError } from '../errors.ts';

export const serviceProblem = z
  .strictObject({
    code: z.string().describe('Machine-readable code, stable per condition'),
    message: z.string().describe('Human-readable message: what is wrong and what to do'),
    details: z.record(z.string(), z.unknown()).describe('Names, limits and counts for the code'),
  })
  .meta({ id: 'ServiceProblem' });
/** Something that is wrong with the service, or right again, for the person who operates it. */
export type ServiceProblem = Readonly<z.infer<typeof serviceProblem>>;

/** The codes that the catalogue has a message for. */
export type ServiceProblemCode = MessageKey extends infer K ? (K extends `serviceProblems.${infer C}` ? C : never) : never;

/** What the message of a code shows; it may be left out where it shows nothing. */
export type ProblemDetails<C extends ServiceProblemCode> = [NeededArguments<`serviceProblems.${C}`>] extends [never]
  ? [details?: Readonly<Record<string, unknown>>]
  : [details: Readonly<Record<string, unknown>> & Readonly<Record<NeededArguments<`serviceProblems.${C}`>, unknown>>];

/** What is wrong, with the message that the catalogue has for its code. */
export const makeProblem = <C extends ServiceProblemCode>(code: C, ...[details = {}]: ProblemDetails<C>): ServiceProblem => ({
  code,
  message: serviceProblemText(englishTranslator(), code, details) ?? code,
  details: { ...details },
});

/** What an error says of the part that met it: its reason, where it has one, else `otherwise` with the text of the error. */
export const problemOf = (error: unknown, otherwise: 'storage_failing' | 'ldap_unreachable'): ServiceProblem => {
  if (error instanceof AppError && error.details.reason !== undefined) {
    const { reason, ...details } = error.details;
    return { code: reason, message: error.message, details };
  }
  const text = connectionReason(error)?.text ?? (error instanceof Error ? error.message : String(error));
  return makeProblem(otherwise, { error: text });
};
