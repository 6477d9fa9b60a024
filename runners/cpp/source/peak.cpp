// Runs a program and says how much memory it had resident at its peak.
//
// On Linux a process inherits the peak of the one that it was forked from, even through exec. So the program
// that starts a runner has to be smaller than any runner: this program takes less than 0.7 MB and the
// smallest runner 0.8, but a shell 1.5 and Python 10.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "expected a program and its arguments\n");
    return 2;
  }
  const pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    std::perror(argv[1]);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) {
    std::perror("could not run the program");
    return 1;
  }
  if (WIFSIGNALED(status)) {
    raise(WTERMSIG(status));
    return 1;
  }
#ifdef __APPLE__
  const long unit = 1;
#else
  const long unit = 1024;
#endif
  std::printf("{\"event\":\"peak\",\"bytes\":%ld}\n", used.ru_maxrss * unit);
  return WEXITSTATUS(status);
}
