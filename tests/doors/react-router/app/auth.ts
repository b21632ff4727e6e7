// The middleware answers; these only say that there are such addresses.
const notFound = () => new Response(null, { status: 404 });
export { notFound as action, notFound as loader };
