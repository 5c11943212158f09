import { documentNotFound } from '@sheaf/contract';
import { type FactBody, factListBody, factListQuery, factParams, factsBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';
import { chooseFact, type ListedFact, listFacts } from '@sheaf/filing/facts';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { partOf } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';
import { DOCUMENT_ACTIONS, takeDocuments } from './select-documents.ts';

const boxOf = ({ x, y, width, height }: ListedFact): FactBody['box'] =>
  x === null || y === null || width === null || height === null ? null : { x, y, width, height };

const toFactBody = (fact: ListedFact): FactBody => ({
  id: fact.id,
  kind: fact.kind,
  value: fact.value,
  page: fact.page,
  box: boxOf(fact),
  confidence: fact.confidence,
  rule: fact.rule,
  is_ambiguous: fact.isAmbiguous,
  is_chosen: fact.isChosen,
  is_confirmed: fact.isConfirmed,
});

const factsOf = async (db: Db, principal: Principal, documentId: string): Promise<FactBody[]> =>
  (await listFacts(db, await getDocument(db, principal, documentId))).map(toFactBody);

export const facts = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/facts',
    access: 'documents.read',
    summary: 'Get what a document states: dates, amounts, numbers and sender',
    description: 'Of each kind at most ten candidates, the best first by default. The list is empty until the document is processed.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: factListQuery,
    response: factListBody,
    handle: async ({ params, query, principal }) => {
      return partOf('facts', await factsOf(db, principal, params.id), query, (fact, field) => fact[field]);
    },
  });

export const choose = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/facts/{fact_id}/choose',
    access: 'documents.update',
    summary: 'Choose the fact of its kind that counts',
    description:
      'A document date becomes the date of the document. A sender becomes its correspondent; a new correspondent is created if none visible to the caller has the name (requires labels.create). Automatic extraction does not change the field again. The correspondent keeps IBAN, VAT ID, domains and the order of ambiguous dates for later documents if the caller may change it (labels.update).',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', FACT_NOT_FOUND: 'NOT_FOUND' },
    params: factParams,
    response: factsBody,
    handle: async ({ params: { id, fact_id: factId }, principal }) => {
      await db.transaction(async (tx) => {
        const [document] = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.update, { ids: [id] });
        if (document === undefined) throw documentNotFound(id);
        const changes = await chooseFact(tx, principal, id, factId);
        await recordEvent(tx, { type: 'document_updated', document_id: id, changes: { ...changes } }, document.ownerId);
      });
      return { facts: await factsOf(db, principal, id) };
    },
  });
