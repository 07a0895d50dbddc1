// Where the service is: a proxy may serve it below a path, such as /rescind. The script comes from the folder `dashboard` there.

/** Empty at the root of a host. */
export const prefix = new URL('..', import.meta.url).pathname.replace(/\/$/, '')
