/** What is asked again after a change of a field. */
export const TOUCHED = ['get /api/fields', 'get /api/documents', 'get /api/documents/{id}'] as const;
