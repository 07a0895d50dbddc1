// Where the operations of the API stand.
export const basePath = '/api/v1'
