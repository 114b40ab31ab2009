// Makes a network longer: forwards connections, each direction MICROS later. slow-network TARGET_PORT MICROS; prints its port.
// In C because a timer of Node counts whole milliseconds.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in target;
static useconds_t micros;

struct way {
  int from, to;
};

static void *forward(void *argument) {
  struct way way = *(struct way *)argument;
  char bytes[1 << 18];
  ssize_t length;
  free(argument);
  while ((length = read(way.from, bytes, sizeof bytes)) > 0) {
    usleep(micros);
    for (ssize_t sent = 0, part; sent < length; sent += part)
      if ((part = write(way.to, bytes + sent, length - sent)) <= 0) goto end;
  }
end:
  shutdown(way.to, SHUT_WR);
  shutdown(way.from, SHUT_RD);
  return NULL;
}

static void start(int from, int to) {
  pthread_t thread;
  struct way *way = malloc(sizeof *way);
  *way = (struct way){from, to};
  pthread_create(&thread, NULL, forward, way);
  pthread_detach(thread);
}

int main(int count, char **words) {
  if (count != 3) return 64;
  // A sleep may end 50 µs late otherwise.
  prctl(PR_SET_TIMERSLACK, 1000UL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  target = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
  target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  micros = (useconds_t)atoi(words[2]);
  struct sockaddr_in own = target;
  own.sin_port = 0;
  socklen_t size = sizeof own;
  int yes = 1, server = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(server, (struct sockaddr *)&own, size) || listen(server, 128) ||
      getsockname(server, (struct sockaddr *)&own, &size)) {
    perror("slow-network");
    return 1;
  }
  printf("%d\n", ntohs(own.sin_port));
  fflush(stdout);
  for (;;) {
    int client = accept(server, NULL, NULL);
    int upstream = socket(AF_INET, SOCK_STREAM, 0);
    if (client < 0 || connect(upstream, (struct sockaddr *)&target, sizeof target)) {
      close(upstream);
      close(client);
      continue;
    }
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(upstream, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    start(client, upstream);
    start(upstream, client);
  }
}
