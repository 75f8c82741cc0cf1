// A minimal server: it reads a request and rejects it with an envelope.
import http from 'node:http'

const rejection = JSON.stringify({ data: null, failureMessages: ['no'], informationalMessages: [], operationWasSuccessful: false })
const server = http.createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(400, { 'content-type': 'application/json' }).end(rejection))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/offers`))
