// Connections to a server of this computer, each with one request at a time.
#pragma once

#include "answer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { TARGET_CAPACITY = 512 };

typedef struct {
    int socket;
    char head[TARGET_CAPACITY + 256];
    size_t head_length, body_length;
    const char *body;
    size_t sent; // Of head and body together.
    double began;
    Answer answer;
} Connection;

static inline void fail_network(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

// Connects. `receive_buffer` bytes of what comes may wait in the system; 0: as many as it likes.
static inline void open_connection(Connection *connection, int port, int receive_buffer) {
    int number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (number < 0) fail_network("cannot make a socket");
    if (receive_buffer) setsockopt(number, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(number, (struct sockaddr *)&address, sizeof address) != 0) fail_network("cannot connect");
    if (fcntl(number, F_SETFL, O_NONBLOCK) != 0) fail_network("cannot set up a socket");
    connection->socket = number;
    begin_answer(&connection->answer);
}

// Sends what the socket takes. Returns whether the whole request has been sent.
static inline bool send_more(Connection *connection) {
    size_t total = connection->head_length + connection->body_length;
    while (connection->sent < total) {
        struct iovec pieces[2];
        int count = 0;
        if (connection->sent < connection->head_length) {
            pieces[count++] = (struct iovec){
                connection->head + connection->sent, connection->head_length - connection->sent};
        }
        size_t of_body = connection->sent > connection->head_length ? connection->sent - connection->head_length : 0;
        if (of_body < connection->body_length) {
            pieces[count++] = (struct iovec){(char *)connection->body + of_body, connection->body_length - of_body};
        }
        ssize_t sent = writev(connection->socket, pieces, count);
        if (sent < 0 && errno == EAGAIN) return false;
        if (sent < 0) fail_network("cannot send");
        connection->sent += (size_t)sent;
    }
    return true;
}

// Begins a request. Returns whether the whole of it has been sent.
static inline bool send_request(
    Connection *connection, const char *method, const char *target, const char *type, const char *body, size_t length) {
    int count = snprintf(connection->head, sizeof connection->head,
        "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n", method, target);
    if (body) {
        count += snprintf(connection->head + count, sizeof connection->head - (size_t)count,
            "Content-Type: %s\r\nContent-Length: %zu\r\n\r\n", type, length);
    } else {
        count += snprintf(connection->head + count, sizeof connection->head - (size_t)count, "\r\n");
    }
    if ((size_t)count >= sizeof connection->head) fail("the target is too long");
    connection->head_length = (size_t)count;
    connection->body = body;
    connection->body_length = length;
    connection->sent = 0;
    connection->began = wall_seconds();
    begin_answer(&connection->answer);
    return send_more(connection);
}

// Reads at most `most` bytes of the answer. Returns how many came; 0 if there are none now.
static inline size_t receive(Connection *connection, size_t most) {
    static char buffer[1 << 18];
    ssize_t count = recv(connection->socket, buffer, most < sizeof buffer ? most : sizeof buffer, 0);
    if (count < 0 && errno == EAGAIN) return 0;
    if (count < 0) fail_network("cannot receive");
    if (count == 0) fail("the server has closed a connection");
    if (!take_bytes(&connection->answer, buffer, (size_t)count)) fail("the answer is not HTTP/1.1");
    return (size_t)count;
}

static inline void watch_connection(int poll, Connection *connection, uint32_t events, bool is_new) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    if (epoll_ctl(poll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, connection->socket, &event) != 0) {
        fail_network("cannot watch a socket");
    }
}
