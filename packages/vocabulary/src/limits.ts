export const DEFAULT_PER_PAGE = 20;
export const MAX_PER_PAGE = 100;

/** How much of `content` a list carries, in characters. */
export const CONTENT_EXCERPT_CHARACTERS = 500;
/** Of one request for pages. */
export const MAX_PAGES_PER_ANSWER = 100;

/** Of one request that edits pages. */
export const MAX_PAGE_OPERATIONS = 1_000;
/** Whose pages one request appends. */
export const MAX_APPENDED_DOCUMENTS = 100;
/** That a document may have before and after its pages are edited. */
export const MAX_EDITED_PAGES = 10_000;

export const MAX_TITLE_CHARACTERS = 1_000;
export const MAX_LABELS = 100;
/** Of one document, and in one note. */
export const MAX_NOTES = 200;
export const MAX_NOTE_CHARACTERS = 10_000;
export const METADATA_LIMITS = { bytes: 16_384, depth: 5, keys: 100 } as const;

export const MAX_BULK_IDS = 1_000;
/** Documents that one action by filter may reach. */
export const MAX_BULK_DOCUMENTS = 10_000;
export const MAX_BULK_FILES = 10;
/** Of all files of one archive: a download that takes longer than a night breaks off more often than it ends. */
export const MAX_ARCHIVE_BYTES = 100 * 1024 ** 3;

export const MAX_LABEL_CHARACTERS = 100;
/** Labels above and below each other, the first and the last one included. */
export const MAX_LABEL_LEVELS = 5;
export const MAX_CORRESPONDENT_CHARACTERS = 200;
export const MAX_DOCUMENT_TYPE_CHARACTERS = 100;
/** Aliases, IBANs, VAT IDs and domains that a correspondent may have, of each. */
export const MAX_CORRESPONDENT_DETAILS = 100;
/** Documents that one request may give a label to, or take it off. */
export const MAX_LABEL_DOCUMENTS = 1_000;

/** Of one user. */
export const MAX_RULES = 200;
export const MAX_RULE_NAME_CHARACTERS = 100;
export const MAX_RULE_ACTIONS = 20;
/** Of one dry run, and of one document. */
export const MAX_RULE_CHANGES_SHOWN = 100;

/** No more than this many hits of one query can be reached by paging. */
export const MAX_SEARCH_RESULTS = 1_000;
/** `total` is exact up to here; beyond, `total_is_lower_bound` is set. */
export const EXACT_TOTAL_LIMIT = 10_000;
export const MAX_QUERY_CHARACTERS = 2_000;
export const MAX_SUGGESTIONS = 10;
export const MAX_SUGGEST_CHARACTERS = 200;

/** Of one user. */
export const MAX_SAVED_SEARCHES = 100;
export const MAX_PINNED_SEARCHES = 20;
export const MAX_SAVED_SEARCH_NAME_CHARACTERS = 100;
/** Of the filters as JSON. */
export const MAX_FILTERS_CHARACTERS = 10_000;
export const MAX_COLUMNS = 50;

/** Links of one user that still open. */
export const MAX_SHARES = 1_000;
export const DEFAULT_SHARE_DAYS = 7;
export const SHARE_PASSWORD_CHARACTERS = { minimum: 8, maximum: 200 } as const;

export const MAX_CLAUSES = 64;
export const MAX_CLAUSE_CHARACTERS = 500;
export const MAX_SORT_KEYS = 3;

/** Days of figures where nobody says how many, and how many there can be. */
export const DEFAULT_DAYS = 30;
export const MAX_DAYS = 366;
/** The most used labels are told, as there may be any number of them. */
export const MAX_COUNTED_LABELS = 100;
export const TOP_UPLOADERS = 10;
export const TOP_CORRESPONDENTS = 10;
export const MAX_COUNTED_TYPES = 100;

export const MAX_CONNECTIONS_PER_USER = 5;
/** Of one message of a client. */
export const MAX_CLIENT_MESSAGE_BYTES = 64 * 1024;

/** How often something is tried to be sent before it counts as failed. */
export const MAX_DELIVERY_ATTEMPTS = 5;

/** Users that one request may bring in. */
export const MAX_IMPORTED_USERS = 10_000;

/** The largest integer of a column. */
export const MAX_ARCHIVE_NUMBER = 2_147_483_647;
